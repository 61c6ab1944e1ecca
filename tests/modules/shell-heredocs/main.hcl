# A heredoc holds a shell script as it is: only two braces mean something.

param "name" {
  default = "backup"
}

file.content "script" {
  destination = "{{param `name`}}.sh"
  mode        = 0755

  content = <<SCRIPT
#!/bin/sh
set -eu
target="${TARGET:-/var/tmp}"
for file in "${@}"; do
  name=$(basename "$file" .txt)
  echo "%{http_code} $${name} ${name%.*} ${#name} \n \t \" '{{param `name`}}'" | sed 's/\\/\//g'
done
echo "{{"{{"}}.State{{"}}"}}" # for docker inspect
SCRIPT
}

# Runs in a shell, with what the shell means by ${..}. The end of an indented heredoc may be indented.
task "run" {
  check = "test -f report.txt"

  apply = <<-EOF
    word="one two"
    printf '%s|%s|%s\n' "${word%% *}" "${word#* }" "$((6 * 7))" > report.txt
    printf '%s\n' "${NOTHING:-unset}" >> report.txt
    EOF
}
