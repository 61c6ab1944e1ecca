# Counts twice. The lock is a directory, so two that run at once would fail.

param "name" {}

task "count" {
  check = "test -f {{param `name`}}.done"
  group = "counter"

  apply = <<EOF
mkdir lock
read n < counter
echo $((n + 1)) > counter
rmdir lock
touch {{param `name`}}.done
EOF
}

task "again" {
  check = "test -f {{param `name`}}.again"
  apply = "mkdir lock && read n < counter && echo $((n + 1)) > counter && rmdir lock && touch {{param `name`}}.again"
  group = "counter"
}
