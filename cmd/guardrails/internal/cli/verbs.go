package cli

import "github.com/spf13/cobra"

// verbs lists every verb in the order of the help text.
func verbs(a *app) []*cobra.Command {
	return []*cobra.Command{
		newInitCmd(a),
		newCheckCmd(a),
		newScanCmd(a),
		newDepsCmd(a),
		newReviewCmd(a),
		newGateCmd(a),
		newDoctorCmd(a),
		newStatusCmd(a),
		newExplainCmd(a),
		newEvidenceCmd(a),
		newPackCmd(a),
		newWatchCmd(a),
		newSkipCmd(a),
		newLessonsCmd(a),
		newLogCmd(a),
		newStatsCmd(a),
		newConfigCmd(a),
		newTrustCmd(a),
		newAllowCmd(a),
		newOffCmd(a),
		newOnCmd(a),
		newGCCmd(a),
		newHookCmd(a),
		newBundleCmd(a),
		newManCmd(a),
		newVersionCmd(a),
	}
}
