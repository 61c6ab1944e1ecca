# What fails at first is tried again.

task "flaky" {
  check = "test -f done"

  apply = <<EOF
set -e
echo try >> tries
test "$(wc -l < tries)" -ge 3
touch done
EOF

  timeout = "10s"

  retry {
    attempts = 5
    delay    = "1ms"
    backoff  = 2
  }
}
