package policy

type flow struct{}

var (
	secretsRules, exfiltrationRules, remoteRules, systemRules, cloudRules, databaseRules, containerRules, publishingRules [0]Rule
)

func (j *judge) files() {}
