package policy

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

var cloudRules = [...]Rule{
	{
		ID: "cloud/terraform", Verdict: hook.Ask,
		Doc:     "terraform, tofu, terragrunt, pulumi or cdk destroying infrastructure or its state.",
		Why:     "running systems and their data would be gone",
		Instead: "look at the plan first: `terraform plan -destroy`",
		Fire:    []string{"terraform destroy -auto-approve", "terraform apply -destroy", "tofu state rm aws_s3_bucket.x", "pulumi destroy -y", "terraform apply -auto-approve", "cdk destroy"},
		Pass:    []string{"terraform plan", "terraform plan -destroy", "terraform state list", "terraform validate", "pulumi preview"},
		check:   terraform,
	},
	{
		ID: "cloud/kubernetes", Verdict: hook.Ask,
		Doc:     "Deleting or replacing what runs in a Kubernetes cluster, by kubectl or helm.",
		Why:     "it acts on a running cluster at once",
		Instead: "try it without effect: `kubectl delete pod x --dry-run=client`",
		Fire:    []string{"kubectl delete namespace prod", "kubectl delete pods --all", "kubectl delete pod my-pod", "kubectl drain node1", "helm uninstall app", "kubectl replace --force -f x.yaml", "helm upgrade app ./chart", "kubectl apply -f deploy.yaml"},
		Pass:    []string{"kubectl get pods", "kubectl delete pod x --dry-run=client", "helm list", "kubectl logs x", "helm template ./chart", "kubectl apply --dry-run=server -f x.yaml", "kubectl diff -f x.yaml"},
		check:   kubernetes,
	},
	{
		ID: "cloud/delete", Verdict: hook.Ask,
		Doc:     "Deleting or stopping resources by aws, gcloud, gsutil, az, doctl, fly, heroku and their kin.",
		Why:     "running systems and their data would be gone",
		Instead: "list them first, e.g. `aws s3 ls` or `gcloud compute instances list`",
		Fire: []string{
			"aws s3 rm s3://b --recursive", "aws s3 rb s3://b --force", "aws ec2 terminate-instances --instance-ids i-1", "gcloud compute instances delete vm",
			"az group delete --name rg --yes", "gsutil -m rm -r gs://b", "gcloud projects delete p", "aws rds delete-db-instance --db-instance-identifier x",
			"doctl compute droplet delete 1", "fly apps destroy x", "heroku apps:destroy x", "rclone purge r:b", "aws s3 sync dist s3://b --delete",
		},
		Pass:  []string{"aws s3 ls", "aws s3 rm s3://b --recursive --dryrun", "gcloud auth list", "az group list", "aws ec2 describe-instances", "gsutil ls"},
		check: cloudDelete,
	},
}

var containerRules = [...]Rule{
	{
		ID: "containers/prune-volumes", Verdict: hook.Ask,
		Doc:     "Removing volumes, or everything that is unused together with volumes.",
		Why:     "volumes hold the databases of containers that happen to be stopped",
		Instead: "without volumes: `docker system prune`; to see them, `docker volume ls`",
		Fire:    []string{"docker system prune -a --volumes", "docker volume rm vol", "docker volume prune -f", "docker compose down -v", "podman volume rm --all", "docker-compose down --volumes"},
		Pass:    []string{"docker system prune", "docker system prune -a", "docker volume ls", "docker compose down", "docker ps"},
		check:   pruneVolumes,
	},
	{
		ID: "containers/remove-all", Verdict: hook.Ask,
		Doc:     "Stopping or removing every container or image at once.",
		Why:     "containers of other projects would go, too",
		Instead: "name one: `docker rm web`",
		Fire:    []string{"docker rm -f $(docker ps -aq)", "docker rmi -f $(docker images -q)", "docker ps -aq | xargs docker rm -f"},
		Pass:    []string{"docker rm web", "docker stop web", "docker images"},
		check:   removeAll,
	},
}

var publishingRules = [...]Rule{
	{
		ID: "publishing/package", Verdict: hook.Ask,
		Doc:     "Publishing, unpublishing or yanking a package.",
		Why:     "a published version can never be used again, and others install it at once",
		Instead: "see what would go out: `npm publish --dry-run` or `npm pack --dry-run`",
		Fire: []string{
			"npm publish", "pnpm publish --access public", "yarn npm publish", "cargo publish", "twine upload dist/*", "gem push x.gem", "npm unpublish x", "cargo yank --version 1.0.0",
			"uv publish", "poetry publish", "mvn deploy", "dotnet nuget push x.nupkg", "npm deprecate x no", "vsce publish", "goreleaser release", "bun publish",
		},
		Pass:  []string{"npm publish --dry-run", "npm run build", "cargo publish --dry-run", "twine check dist/*", "npm pack", "cargo package", "goreleaser release --snapshot"},
		check: publishes,
	},
	{
		ID: "publishing/push-protected", Verdict: hook.Ask,
		Doc:     "Pushing straight to a branch that others build on.",
		Why:     "others get it at once, without a review",
		Instead: "push a branch of your own, `git push origin topic`, and open a pull request",
		Fire:    []string{"git push origin main", "git push origin master", "git push origin HEAD:main", "git push origin main --tags"},
		Pass:    []string{"git push", "git push origin topic", "git push origin maintain-foo", "git push --dry-run origin main"},
		check:   pushProtected,
	},
	{
		ID: "publishing/forge", Verdict: hook.Ask,
		Doc:     "Merging or closing pull requests and issues, or switching workflows, for everybody (gh, glab).",
		Why:     "others are told at once and build on it",
		Instead: "look at it first, e.g. `gh pr view 12`",
		Fire:    []string{"gh pr merge 12", "gh pr merge --squash", "gh pr close 12", "gh issue close 4", "gh workflow enable deploy.yml", "glab mr merge 4", "gh api -X PUT repos/o/r/pulls/4/merge"},
		Pass:    []string{"gh api repos/o/r/pulls/4/merge", "gh pr merge --disable-auto 12", "gh pr view 12", "gh pr create --draft --fill", "gh pr checks", "gh issue comment 4 -b x"},
		check:   forge,
	},
	{
		ID: "publishing/image", Verdict: hook.Ask,
		Doc:     "Pushing a container image or a release to a registry.",
		Why:     "others may run it at once",
		Instead: "build it only: `docker build -t app .`",
		Fire:    []string{"docker push me/app:latest", "gh release create v1.0.0", "docker buildx build --push -t x ."},
		Pass:    []string{"docker build -t app .", "gh release view v1.0.0", "docker pull x"},
		check:   pushImage,
	},
}

// plainOperands are the operands and their count, flags left out.
func plainOperands(c *shellcmd.Command, g *grammar) []string {
	var out []string
	for _, w := range operands(g.parse(c.Args())) {
		out = append(out, strings.ToLower(w.Text))
	}
	return out
}

func nth(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return ""
}

func anyOf(s string, names ...string) bool {
	return slices.Contains(names, s)
}

// flagLike reports whether a flag in either dash style is given and not false.
func flagLike(c *shellcmd.Command, names ...string) bool {
	for _, a := range c.Args() {
		t := strings.ToLower(a.Text)
		if !strings.HasPrefix(t, "-") {
			continue
		}
		name, v, has := strings.Cut(strings.TrimLeft(t, "-"), "=")
		if has && (v == "false" || v == "none") {
			continue
		}
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

func terraform(_ *judge, c *shellcmd.Command) (match, bool) {
	hit := match{what: "destroys or changes infrastructure"}
	switch c.Program {
	case "terraform", "tofu", "terragrunt":
		ops := plainOperands(c, &grammar{words: true, long: []string{"-var", "-var-file", "-target", "-state", "-chdir"}})
		if flagLike(c, "help") {
			return match{}, false
		}
		switch nth(ops, 0) {
		case "destroy":
			return hit, true
		case "apply":
			return hit, flagLike(c, "destroy", "auto-approve")
		case "run-all":
			return hit, anyOf(nth(ops, 1), "destroy", "apply")
		case "state":
			return hit, anyOf(nth(ops, 1), "rm", "push") && !flagLike(c, "dry-run")
		case "workspace":
			return hit, nth(ops, 1) == "delete"
		case "force-unlock", "taint":
			return hit, nth(ops, 0) == "force-unlock"
		}
	case "pulumi":
		ops := plainOperands(c, &grammar{short: "sC", long: []string{"--stack", "--cwd"}})
		return hit, nth(ops, 0) == "destroy" && !flagLike(c, "preview-only") || nth(ops, 0) == "stack" && nth(ops, 1) == "rm" || nth(ops, 0) == "up" && flagLike(c, "y", "yes")
	case "cdk", "sst", "sls", "serverless", "eksctl", "kops":
		ops := plainOperands(c, &grammar{})
		return hit, anyOf(nth(ops, 0), "destroy", "remove") || anyOf(c.Program, "eksctl", "kops") && nth(ops, 0) == "delete"
	}
	return match{}, false
}

var kubectlFlags = grammar{short: "nfloc", long: []string{"--namespace", "--context", "--kubeconfig", "--selector", "--filename", "--output", "--cluster", "--user", "--server", "--as", "--grace-period", "--timeout", "--field-selector", "--token"}}

func kubernetes(_ *judge, c *shellcmd.Command) (match, bool) {
	switch c.Program {
	case "kubectl", "oc", "k", "microk8s.kubectl":
		ops := plainOperands(c, &kubectlFlags)
		if flagLike(c, "dry-run", "help") {
			return match{}, false
		}
		switch nth(ops, 0) {
		case "delete", "drain", "apply", "replace", "scale", "rollout", "cordon", "taint", "patch", "edit":
			if nth(ops, 0) == "rollout" && !anyOf(nth(ops, 1), "undo", "restart") {
				return match{}, false
			}
			return match{what: "changes a running cluster (" + nth(ops, 0) + ")"}, true
		}
	case "helm", "helmfile":
		ops := plainOperands(c, &kubectlFlags)
		if flagLike(c, "dry-run", "help") {
			return match{}, false
		}
		if anyOf(nth(ops, 0), "uninstall", "delete", "un", "del", "upgrade", "rollback", "destroy", "install", "apply", "sync") {
			return match{what: "changes a running cluster (" + nth(ops, 0) + ")"}, true
		}
	}
	return match{}, false
}

func cloudDelete(_ *judge, c *shellcmd.Command) (match, bool) {
	hit := match{what: "deletes or stops cloud resources"}
	if flagLike(c, "dry-run", "dryrun", "help", "generate-cli-skeleton", "what-if") {
		return match{}, false
	}
	switch c.Program {
	case "aws", "awslocal":
		if c.Program == "awslocal" {
			return match{}, false
		}
		ops := plainOperands(c, &grammar{long: []string{"--profile", "--region", "--output", "--endpoint-url", "--query"}})
		verb := nth(ops, 1)
		switch {
		case nth(ops, 0) == "s3":
			return hit, verb == "rb" || verb == "rm" && flagLike(c, "recursive") || verb == "sync" && flagLike(c, "delete")
		case strings.HasPrefix(verb, "delete-"), strings.HasPrefix(verb, "terminate-"), strings.HasPrefix(verb, "purge-"), strings.HasPrefix(verb, "deregister-"), verb == "schedule-key-deletion", strings.HasPrefix(verb, "stop-db"), strings.HasPrefix(verb, "remove-"):
			return hit, true
		}
	case "gcloud":
		for _, o := range plainOperands(c, &grammar{long: []string{"--project", "--zone", "--region", "--format", "--filter", "--account"}}) {
			if o == "delete" || o == "destroy" || o == "reset" {
				return hit, true
			}
		}
		return hit, strings.Contains(strings.Join(texts(c.Args()), " "), "storage rm")
	case "gsutil":
		ops := plainOperands(c, &grammar{short: "oh"})
		return hit, anyOf(nth(ops, 0), "rm", "rb") && (nth(ops, 0) == "rb" || flagLike(c, "r", "a")) || nth(ops, 0) == "rsync" && flagLike(c, "d") && !flagLike(c, "n")
	case "az":
		for _, o := range plainOperands(c, &grammar{short: "ngo", long: []string{"--name", "--resource-group", "--output", "--subscription"}}) {
			if o == "delete" || o == "purge" || o == "delete-batch" || o == "deallocate" {
				return hit, true
			}
		}
	case "doctl", "hcloud", "linode-cli", "vultr-cli", "scw", "oci", "ibmcloud", "aliyun", "exo", "civo":
		for _, o := range plainOperands(c, &grammar{}) {
			if anyOf(o, "delete", "rm", "destroy", "terminate", "remove") {
				return hit, true
			}
		}
	case "fly", "flyctl", "heroku", "vercel", "netlify", "railway", "wrangler", "supabase", "firebase", "render":
		for _, o := range plainOperands(c, &grammar{short: "a", long: []string{"--app", "--project"}}) {
			if anyOf(o, "destroy", "delete", "remove", "rm", "apps:destroy", "pg:reset", "addons:destroy", "firestore:delete", "sites:delete", "reset") || strings.HasSuffix(o, ":destroy") || strings.HasSuffix(o, ":delete") {
				return hit, true
			}
		}
	case "rclone":
		return hit, anyOf(nth(plainOperands(c, &grammar{}), 0), "purge", "delete", "deletefile", "rmdirs", "sync") && !flagLike(c, "n")
	case "s3cmd", "mc", "b2":
		return hit, anyOf(nth(plainOperands(c, &grammar{}), 0), "rb", "del", "rm", "delete-bucket", "delete_bucket") && (flagLike(c, "recursive", "r", "force") || strings.Contains(nth(plainOperands(c, &grammar{}), 0), "b"))
	}
	return match{}, false
}

func isDocker(c *shellcmd.Command) bool {
	return anyOf(c.Program, "docker", "podman", "nerdctl", "docker-compose", "podman-compose")
}

var dockerFlags = grammar{short: "fHlpc", long: []string{"--filter", "--host", "--context", "--file", "--project-name", "--profile", "--env-file", "--timeout"}}

func pruneVolumes(_ *judge, c *shellcmd.Command) (match, bool) {
	if !isDocker(c) {
		return match{}, false
	}
	g := dockerFlags
	g.short = "Hlc"
	ops := plainOperands(c, &g)
	hit := match{what: "removes volumes"}
	compose := strings.HasSuffix(c.Program, "-compose")
	if nth(ops, 0) == "compose" {
		compose, ops = true, ops[1:]
	}
	short := func(letter string) bool {
		for _, a := range c.Args() {
			if t := a.Text; len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.Contains(t, letter) {
				return true
			}
		}
		return false
	}
	switch {
	case compose:
		for _, o := range ops {
			if o == "down" || o == "rm" {
				return hit, flagLike(c, "volumes") || short("v")
			}
		}
	case nth(ops, 0) == "volume":
		return hit, anyOf(nth(ops, 1), "rm", "remove", "prune")
	case nth(ops, 0) == "system":
		return hit, nth(ops, 1) == "prune" && flagLike(c, "volumes") || nth(ops, 1) == "reset"
	case nth(ops, 0) == "rm":
		return hit, short("v") && len(ops) > 1
	}
	return match{}, false
}

func removeAll(j *judge, c *shellcmd.Command) (match, bool) {
	if !isDocker(c) {
		return match{}, false
	}
	ops := operands((&grammar{}).parse(c.Args()))
	if len(ops) < 2 {
		return match{}, false
	}
	verb := ops[0].Text
	if anyOf(verb, "container", "image") {
		verb = ops[1].Text
	}
	if !anyOf(verb, "rm", "rmi", "kill", "stop", "remove") {
		return match{}, false
	}
	for _, w := range ops[1:] {
		for _, n := range w.Subst {
			if n < 0 || n >= len(j.line.Commands) {
				continue
			}
			d := &j.line.Commands[n]
			if isDocker(d) && len(d.Args()) > 0 && anyOf(d.Args()[0].Text, "ps", "images", "container", "image") {
				narrowed := false
				for _, a := range d.Args() {
					narrowed = narrowed || strings.HasPrefix(a.Text, "--filter") || a.Text == "-f"
				}
				if !narrowed {
					return match{what: "removes or stops all of them"}, true
				}
			}
		}
	}
	return match{}, false
}

func publishes(_ *judge, c *shellcmd.Command) (match, bool) {
	if flagLike(c, "dry-run", "n", "help", "snapshot", "skip-publish") {
		return match{}, false
	}
	ops := plainOperands(c, &grammar{long: []string{"--registry", "--tag", "--access", "--filter", "--cwd", "--prefix", "--package", "--manifest-path", "--repository"}})
	a, b := nth(ops, 0), nth(ops, 1)
	hit := match{what: "publishes or withdraws a package"}
	switch c.Program {
	case "npm", "pnpm", "bun", "cnpm":
		return hit, anyOf(a, "publish", "unpublish", "deprecate", "dist-tag") && !(a == "dist-tag" && anyOf(b, "ls", "list", "")) || a == "-r" && b == "publish"
	case "yarn":
		return hit, a == "publish" || a == "npm" && b == "publish" || a == "workspaces" && strings.Contains(strings.Join(ops, " "), "publish")
	case "lerna", "changeset", "semantic-release", "release-it", "np":
		return hit, a == "publish" || anyOf(c.Program, "semantic-release", "release-it", "np")
	case "cargo":
		return hit, anyOf(a, "publish", "yank", "owner")
	case "twine":
		return hit, a == "upload"
	case "poetry", "uv", "flit", "hatch", "pdm", "maturin":
		return hit, anyOf(a, "publish", "upload")
	case "python", "python3":
		return hit, len(ops) > 1 && ops[0] == "twine" && ops[1] == "upload" || len(ops) > 1 && strings.HasSuffix(ops[0], "setup.py") && anyOf(ops[len(ops)-1], "upload")
	case "gem":
		return hit, anyOf(a, "push", "yank")
	case "mvn", "mvnw":
		for _, o := range ops {
			if o == "deploy" || o == "release:perform" {
				return hit, true
			}
		}
	case "gradle", "gradlew":
		for _, o := range ops {
			if strings.HasPrefix(o, "publish") && !strings.HasSuffix(o, "local") {
				return hit, true
			}
		}
	case "dotnet", "nuget":
		return hit, a == "nuget" && anyOf(b, "push", "delete") || c.Program == "nuget" && anyOf(a, "push", "delete")
	case "vsce", "ovsx":
		return hit, anyOf(a, "publish", "unpublish")
	case "goreleaser":
		return hit, anyOf(a, "release", "publish")
	case "pod":
		return hit, a == "trunk" && anyOf(b, "push", "delete", "deprecate")
	case "dart", "flutter":
		return hit, a == "pub" && b == "publish"
	case "jsr":
		return hit, a == "publish"
	case "helm":
		return hit, a == "push"
	case "mix":
		return hit, a == "hex.publish"
	case "luarocks":
		return hit, a == "upload"
	}
	return match{}, false
}

func pushProtected(j *judge, c *shellcmd.Command) (match, bool) {
	g := j.git(c)
	if g.sub != "push" || g.help {
		return match{}, false
	}
	as := pushFlags.parse(g.args)
	if toggles(as, "-n", "dry-run", 2) || has(as, "-d", "--delete", "-f", "--force", "--mirror") {
		return match{}, false
	}
	ops := operands(as)
	check := ops
	if len(ops) > 1 {
		check = ops[1:]
	}
	for _, w := range check {
		dst := w.Text
		if _, d, ok := strings.Cut(dst, ":"); ok {
			dst = d
		}
		if dst == "HEAD" || dst == "@" {
			dst = j.headOf(c, g)
		}
		if j.protectedBranch(dst) {
			return match{what: "pushes to " + oneLine(dst)}, true
		}
	}
	if len(ops) < 2 && !has(as, "--tags", "--all", "--branches") {
		if b := j.headOf(c, g); j.protectedBranch(b) {
			return match{what: "pushes to " + oneLine(b)}, true
		}
	}
	return match{}, false
}

func forge(_ *judge, c *shellcmd.Command) (match, bool) {
	if what, hit := forgeAPI(c); hit {
		return match{what: what}, true
	}
	noun, verb := forgeCall(c)
	hit := false
	switch noun {
	case "pr", "mr":
		hit = verb == "close" || verb == "merge" && !flagLike(c, "disable-auto")
	case "issue":
		hit = verb == "close"
	case "workflow":
		hit = verb == "enable" || verb == "disable"
	}
	return match{what: "does " + noun + " " + verb + " for everybody"}, hit
}

// forgeAPI recognises the same done by gh api or glab api.
func forgeAPI(c *shellcmd.Command) (what string, hit bool) {
	if c.Program != "gh" && c.Program != "glab" {
		return "", false
	}
	as := (&grammar{short: "XFfHqtp", long: []string{"--method", "--field", "--raw-field", "--header", "--jq", "--template", "--input", "--preview", "--cache", "--hostname"}}).parse(c.Args())
	ops := operands(as)
	if len(ops) < 2 || ops[0].Text != "api" {
		return "", false
	}
	if ops[1].Text == "graphql" {
		for i := range as {
			if w := as[i].value; w != nil && as[i].flag != "" && (strings.Contains(w.Text, "mergePullRequest") || strings.Contains(w.Text, "closePullRequest") || strings.Contains(w.Text, "closeIssue") || strings.Contains(w.Text, "AutoMerge(")) {
				return "merges or closes for everybody", true
			}
		}
		return "", false
	}
	method := ""
	if w := valueOf(as, "-X", "--method"); w != nil {
		method = strings.ToUpper(w.Text)
	} else if valueOf(as, "-f", "-F", "--field", "--raw-field", "--input") != nil {
		method = "POST"
	}
	end, _, _ := strings.Cut(ops[1].Text, "?")
	merges := strings.HasSuffix(end, "/merge") || strings.HasSuffix(end, "/merges")
	return "merges for everybody", merges && (method == "PUT" || method == "POST")
}

func pushImage(_ *judge, c *shellcmd.Command) (match, bool) {
	ops := plainOperands(c, &grammar{short: "tfR", long: []string{"--tag", "--file", "--repo", "--platform"}})
	switch {
	case isDocker(c):
		return match{what: "pushes an image"}, nth(ops, 0) == "push" || nth(ops, 0) == "image" && nth(ops, 1) == "push" || nth(ops, 0) == "compose" && nth(ops, 1) == "push" || flagLike(c, "push") && anyOf(nth(ops, 0), "build", "buildx")
	case c.Program == "gh":
		return match{what: "publishes a release"}, nth(ops, 0) == "release" && anyOf(nth(ops, 1), "create", "upload", "edit") && !flagLike(c, "draft")
	case anyOf(c.Program, "crane", "skopeo", "oras", "buildah"):
		return match{what: "pushes an image"}, anyOf(nth(ops, 0), "push", "copy")
	}
	return match{}, false
}
