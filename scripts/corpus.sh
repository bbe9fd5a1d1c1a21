#!/usr/bin/env bash
# Fetches the corpus from its archive into a new folder, or stores it there: `scripts/corpus.sh fetch|store <folder>`, with the
# https address of the archive in CORPUS_URL and a token in CORPUS_TOKEN. The archive is one tar file, which GET returns and PUT
# replaces. Prints neither address nor token, nor what curl says of them: the logs of a public repository are public.
set -euo pipefail

MAX_ARCHIVE_BYTES=1000000000
TIMEOUT_SECONDS=600

fail() {
  echo "$1" >&2
  exit 1
}

[[ $# -eq 2 && ($1 == fetch || $1 == store) ]] || fail "scripts/corpus.sh fetch|store <folder>"
command=$1
folder=$2
# Loopback is for tests.
[[ ${CORPUS_URL:-} =~ ^(https://|http://127\.0\.0\.1:) ]] || fail "CORPUS_URL must be an https address"
[[ -n ${CORPUS_TOKEN:-} ]] || fail "CORPUS_TOKEN must be set"

# A redirect fails: the token must not follow it to another server, nor the corpus.
request() {
  printf 'url = "%s"\nheader = "Authorization: Bearer %s"\n' "$CORPUS_URL" "$CORPUS_TOKEN" |
    curl --config - --silent --fail --location --max-redirs 0 --max-time "$TIMEOUT_SECONDS" \
      --max-filesize "$MAX_ARCHIVE_BYTES" "$@" ||
    fail "The archive did not $command: curl ended with status $?"
}

rows_in() {
  (cd "$1" && compgen -G '*.tsv.gz') || fail "There are no rows to $command"
}

archive=$(mktemp)
trap 'rm -f "$archive"' EXIT
if [[ $command == fetch ]]; then
  # Fails if the folder exists: a file of the same name may have rows that the archive does not have.
  mkdir "$folder"
  trap 'rm -rf "$archive" "$folder"' EXIT
  request --output "$archive"
  tar -xf "$archive" -C "$folder" --no-same-owner
  rows_in "$folder"
  trap 'rm -f "$archive"' EXIT
else
  rows=$(rows_in "$folder")
  others=$(cd "$folder" && (compgen -G benign-lists.txt || true))
  # shellcheck disable=SC2086 # One name a word.
  tar -cf "$archive" -C "$folder" --owner=0 --group=0 -- $rows $others
  request --upload-file "$archive" --output /dev/null
fi
