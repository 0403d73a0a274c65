package policy

import (
	"slices"
	"strings"

	"github.com/ec261362/guardrails/core/hook"
	"github.com/ec261362/guardrails/core/shellcmd"
)

var databaseRules = [...]Rule{
	{
		ID: "database/destructive-sql", Verdict: hook.Deny,
		Doc:     "DROP, TRUNCATE, or DELETE and UPDATE without WHERE, given to a database client.",
		Why:     "only a backup brings the rows back",
		Instead: "look first: `psql app -c 'SELECT count(*) FROM users'`; or narrow it down with WHERE inside a transaction",
		Fire: []string{
			`psql "$URL" -c "DROP TABLE users"`, `mysql app -e "TRUNCATE orders"`, `psql app -c "DELETE FROM users"`, "echo 'DROP DATABASE app' | psql",
			"psql app <<'EOF'\nselect 1;\ndrop schema public cascade;\nEOF", `sqlite3 a.db "drop table x"`, `psql app -c "UPDATE users SET admin = true"`,
			"mysqladmin drop app", "dropdb app", `mongosh --eval "db.dropDatabase()"`,
		},
		Pass: []string{
			`psql app -c "SELECT 1"`, `psql app -c "DELETE FROM s WHERE old"`, `echo "DROP TABLE users"`, `grep -rn 'DROP TABLE' migrations`, "psql app -f migrate.sql",
			`psql app_test -c "DROP TABLE IF EXISTS t"`, `sqlite3 :memory: "drop table x"`, `mysql app -e "SELECT 'drop table'"`,
		},
		check: destructiveSQL,
	},
	{
		ID: "database/flush", Verdict: hook.Deny,
		Doc:     "Emptying a key-value store, or dropping collections.",
		Why:     "every key of every application on it would be gone",
		Instead: "delete by name: `redis-cli DEL key`",
		Fire:    []string{"redis-cli FLUSHALL", "redis-cli -h x flushdb", "echo FLUSHALL | redis-cli", `mongosh app --eval "db.users.drop()"`},
		Pass:    []string{"redis-cli GET x", "redis-cli DEL key", "mongosh --eval 'db.users.find()'"},
		check:   flushStore,
	},
	{
		ID: "database/reset", Verdict: hook.Ask,
		Doc:     "Framework commands that drop and recreate a database.",
		Why:     "all data in that database is lost",
		Instead: "apply what is new only, e.g. `npx prisma migrate deploy`",
		Fire:    []string{"npx prisma migrate reset --force", "rails db:drop", "bin/rails db:reset", "python manage.py flush", "npx prisma db push --force-reset", "php artisan migrate:fresh", "supabase db reset"},
		Pass:    []string{"npx prisma migrate deploy", "rails db:migrate", "python manage.py migrate", "RAILS_ENV=test rails db:reset"},
		check:   databaseReset,
	},
}

// sqlClient reports whether a program sends SQL to a database.
func sqlClient(name string) bool {
	switch name {
	case "psql", "mysql", "mariadb", "sqlite3", "sqlite", "sqlcmd", "mssql-cli", "pgcli", "mycli", "litecli", "usql", "duckdb", "cockroach", "clickhouse-client",
		"clickhouse", "snowsql", "bq", "isql", "osql", "sqlplus", "cqlsh", "trino", "presto", "beeline", "impala-shell", "vsql", "ysqlsh", "turso", "wrangler":
		return true
	}
	return false
}

var sqlFlags = grammar{
	short: "cefdhpUuPDvFoLSH",
	long:  []string{"--command", "--execute", "--file", "--dbname", "--database", "--host", "--port", "--username", "--user", "--query", "--output", "--set", "--variable"},
}

// sqlOf returns the SQL texts that c gives to its database, and the name of
// that database as far as it is said.
func (j *judge) sqlOf(c *shellcmd.Command) (texts []string, db string) {
	args := c.Args()
	as := sqlFlags.parse(args)
	for i := range as {
		v := as[i].value
		if v == nil {
			continue
		}
		switch as[i].flag {
		case "-c", "--command", "-e", "--execute", "-q", "-Q", "--query":
			texts = append(texts, v.Values()...)
		case "-d", "--dbname", "--database", "-D":
			db = v.Text
		case "":
			if strings.ContainsAny(v.Text, " ;(") && !strings.Contains(v.Text, "://") {
				texts = append(texts, v.Values()...)
			} else if db == "" {
				db = v.Text
			}
		}
	}
	for i := range args {
		if v, ok := strings.CutPrefix(args[i].Text, "-Q"); ok && v != "" {
			texts = append(texts, v)
		}
	}
	if c.Stdin.Known {
		texts = append(texts, c.Stdin.Text)
	}
	for i := range c.Redirects {
		if r := &c.Redirects[i]; r.Body.Text != "" {
			texts = append(texts, r.Body.Text)
		} else if r.Op == "<<<" {
			texts = append(texts, r.Target.Text)
		}
	}
	for i := range c.Code {
		if c.Code[i].Lang == shellcmd.LangSQL && c.Code[i].Text != "" {
			texts = append(texts, c.Code[i].Text)
		}
	}
	return texts, db
}

// testDatabase reports whether a database is one for tests by its name.
func testDatabase(db string) bool {
	low := strings.ToLower(db)
	if i := strings.LastIndexByte(low, '/'); i >= 0 {
		low = low[i+1:]
	}
	low, _, _ = strings.Cut(low, "?")
	if low == ":memory:" {
		return true
	}
	for _, seg := range strings.FieldsFunc(low, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if seg == "test" || seg == "tests" || seg == "testing" || seg == "ci" || seg == "tmp" {
			return true
		}
	}
	return false
}

// destroysRows returns what a SQL text destroys, "" if nothing.
func destroysRows(sql string) string {
	for stmt := range strings.SplitSeq(cleanSQL(sql), ";") {
		w := strings.Fields(strings.ToUpper(stmt))
		if len(w) < 2 {
			continue
		}
		switch w[0] {
		case "DROP":
			switch w[1] {
			case "TABLE", "DATABASE", "SCHEMA", "VIEW", "INDEX", "USER", "ROLE", "COLUMN", "KEYSPACE", "MATERIALIZED", "TABLESPACE", "OWNED":
				if w[1] == "VIEW" || w[1] == "INDEX" || w[1] == "MATERIALIZED" {
					continue
				}
				return "DROP " + w[1]
			}
		case "TRUNCATE":
			return "TRUNCATE"
		case "DELETE":
			if w[1] == "FROM" && !contains(w, "WHERE") && !contains(w, "LIMIT") {
				return "DELETE without WHERE"
			}
		case "UPDATE":
			if contains(w, "SET") && !contains(w, "WHERE") && !contains(w, "LIMIT") {
				return "UPDATE without WHERE"
			}
		case "ALTER":
			if contains(w, "DROP") && (contains(w, "COLUMN") || contains(w, "PARTITION")) {
				return "ALTER … DROP"
			}
		}
	}
	return ""
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

// cleanSQL takes out comments and the contents of string literals.
func cleanSQL(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\'':
			b.WriteString("''")
			for i++; i < len(s) && s[i] != '\''; i++ {
			}
		case strings.HasPrefix(s[i:], "--"), s[i] == '#' && (i == 0 || s[i-1] == '\n'):
			for i < len(s) && s[i] != '\n' {
				i++
			}
			b.WriteByte(' ')
		case strings.HasPrefix(s[i:], "/*"):
			if k := strings.Index(s[i+2:], "*/"); k >= 0 {
				i += k + 3
			} else {
				i = len(s)
			}
			b.WriteByte(' ')
		case s[i] == '(' || s[i] == ')' || s[i] == ',':
			b.WriteByte(' ')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func destructiveSQL(j *judge, c *shellcmd.Command) (match, bool) {
	switch c.Program {
	case "mysqladmin":
		if ops := plainOperands(c, &sqlFlags); nth(ops, 0) == "drop" && !testDatabase(nth(ops, 1)) {
			return match{what: "drops a database"}, true
		}
		return match{}, false
	case "dropdb", "dropuser":
		ops := plainOperands(c, &sqlFlags)
		return match{what: "drops a database"}, len(ops) > 0 && !testDatabase(ops[0]) && !helpOnly(sqlFlags.parse(c.Args()))
	case "mongosh", "mongo":
		for _, a := range c.Args() {
			if strings.Contains(a.Text, "dropDatabase(") {
				return match{what: "drops a database"}, true
			}
		}
		return match{}, false
	}
	if !sqlClient(c.Program) {
		return match{}, false
	}
	list, db := j.sqlOf(c)
	if testDatabase(db) {
		return match{}, false
	}
	for _, sql := range list {
		if what := destroysRows(sql); what != "" {
			return match{what: "runs " + what}, true
		}
	}
	return match{}, false
}

func flushStore(_ *judge, c *shellcmd.Command) (match, bool) {
	switch c.Program {
	case "redis-cli", "valkey-cli", "keydb-cli", "dragonfly-cli":
		all := texts(c.Args())
		if c.Stdin.Known {
			all = append(all, strings.Fields(c.Stdin.Text)...)
		}
		for _, t := range all {
			if u := strings.ToUpper(t); u == "FLUSHALL" || u == "FLUSHDB" {
				return match{what: "empties the store (" + u + ")"}, true
			}
		}
	case "mongosh", "mongo":
		for _, a := range c.Args() {
			t := strings.ReplaceAll(a.Text, " ", "")
			if strings.Contains(t, ".drop()") || strings.Contains(t, ".deleteMany({})") || strings.Contains(t, ".remove({})") {
				return match{what: "drops or empties a collection"}, true
			}
		}
	}
	return match{}, false
}

func databaseReset(_ *judge, c *shellcmd.Command) (match, bool) {
	for _, name := range [...]string{"RAILS_ENV", "NODE_ENV", "APP_ENV", "RACK_ENV", "DJANGO_ENV"} {
		if w, ok := c.Getenv(name); ok && strings.HasPrefix(w.Text, "test") {
			return match{}, false
		}
	}
	ops := plainOperands(c, &grammar{long: []string{"--schema"}})
	hit := match{what: "drops and recreates a database"}
	a, b := nth(ops, 0), nth(ops, 1)
	switch c.Program {
	case "prisma":
		return hit, a == "migrate" && b == "reset" || a == "db" && b == "push" && flagLike(c, "force-reset")
	case "npx", "pnpx", "bunx":
		return hit, a == "prisma" && (b == "migrate" && nth(ops, 2) == "reset" || b == "db" && flagLike(c, "force-reset"))
	case "rails", "rake", "bundle":
		for _, o := range ops {
			switch o {
			case "db:drop", "db:reset", "db:drop:all", "db:setup", "db:migrate:reset", "db:schema:load":
				return hit, o != "db:setup"
			}
		}
	case "python", "python3", "django-admin", "manage.py":
		for i, o := range ops {
			if (o == "flush" || o == "reset_db") && (i > 0 && strings.HasSuffix(ops[i-1], "manage.py") || c.Program == "django-admin" || c.Program == "manage.py") {
				return hit, true
			}
		}
	case "php":
		return hit, strings.HasSuffix(a, "artisan") && anyOf(b, "migrate:fresh", "migrate:reset", "migrate:refresh", "db:wipe")
	case "supabase":
		return hit, a == "db" && b == "reset"
	case "sequelize", "sequelize-cli", "typeorm", "knex":
		return hit, anyOf(a, "db:drop", "schema:drop", "migrate:rollback") && !(c.Program == "knex" && !flagLike(c, "all"))
	case "alembic":
		return hit, a == "downgrade" && b == "base"
	case "mix":
		return hit, anyOf(a, "ecto.drop", "ecto.reset")
	}
	return match{}, false
}
