import * as Program from "../Layers/Program.ts"

/** A first run fetches some megabytes, which takes less on most connections. */
export const DEFAULT_WAIT = "30 seconds"

const { name, version } = Program

/** What `--help` shows. At most 80 columns. */
export const text = `${name} ${version}

Checks whether URLs are phishing, without opening them: with rules and a small
model, four threat lists and, if you have a key, Google Safe Browsing.

Usage:
  ${name} check [options] [url...]   check URLs, without a server
  ${name} serve                      run the HTTP service

Examples:
  ${name} check http://paypa1-secure.example/login
  ${name} check --file mail.csv --column url --format csv > out.csv
  ${name} check --extract mail.eml access.log

Input:
  url...                the URLs to check; - for standard input
  -f, --file <path>     read one URL a line from this file
                        (default: standard input if no URL is given)
  --extract             read any text (a mail, page, table, JSON, log) from the
                        files given, or standard input, and check its links
                        (default: off)
  --column <name>       the input is a table with a header; read this column
                        (default: one URL a line)
Output:
  -o, --format <format> table, json (one object a line) or csv
                        (default: table on a terminal, json elsewhere)
  --only <verdict>      write results from this verdict on: suspicious or
                        phishing (default: suspicious in a table)
  --all                 write all results (default in json and csv)
  -q, --quiet           show errors only, no warnings and no progress
                        (default: off)
Checking:
  --wait <duration>     wait for missing or old threat lists; 0 does not wait
                        (default: "${DEFAULT_WAIT}")
  --fail-on <verdict>   exit with 1 from this verdict on: suspicious or phishing
                        (default: suspicious)
  --strict[=stale]      exit with 2 if a checker did not answer, or with =stale
                        also if it answered from an old list (default: off)
  --env-file <path>     read environment variables from this file; it does not
                        change those already set (default: none)
Other:
  -h, --help            show this help
  --version             show the version

Blank lines and lines that begin with # are skipped. Defanged URLs
(hxxps://bad[.]example) are understood.

Exit status:
  0    no URL has the verdict of --fail-on, or a worse one
  1    at least one URL has it, or a worse one
  2    something could not be checked, or the command line is wrong
  130  interrupted by Ctrl-C; 143 by SIGTERM

Environment variables configure lists, keys and the cache, as for the service.
`

/** What `serve --help` shows. */
export const serveText = `${name} ${version}

Runs the HTTP service: POST /api/check with {"url": "..."}, and a page at /.

Usage:
  ${name} serve [--env-file <path>]

Examples:
  ${name} serve
  PORT=8080 ${name} serve
  curl -s localhost:4000/api/check -H content-type:application/json \\
    -d '{"url":"http://paypa1-secure.example/login"}'

Environment variables, all optional:
  PORT                  the port to listen on (default: 4000)
  DATA_DIR              where threat lists are saved (default: ./data)
  RATE_LIMIT            requests of one client in 15 minutes (default: 100)
  TRUSTED_PROXIES       the number of proxies in front (default: 0)
  REPUTATION_API_KEY    a key of Google Safe Browsing (default: none)

--env-file reads them from a file, which does not change those already set.
/docs of the running service describes the API. It has no other options.
`

export const versionText = `${version}\n`
