package policy

type flow struct{}

var (
	exfiltrationRules, remoteRules, systemRules, cloudRules, databaseRules, containerRules, publishingRules [0]Rule
)

