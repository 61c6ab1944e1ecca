# expect: value-not-known at 9:27 |task.query.limit.status.stdout| `timeout` must be known

task.query "limit" {
  query = "cat /etc/limit"
}

task "build" {
  check   = "true"
  timeout = format("%ss", task.query.limit.status.stdout)
  apply   = "true"
}
