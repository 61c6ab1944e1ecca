# expect: value-not-known at 9:31 |task.query.limit.status.stdout| `timeout` must be known

task.query "limit" {
  query = "cat /etc/limit"
}

file.content "build" {
  destination = "/tmp/converge-mistake"
  timeout     = format("%ss", task.query.limit.status.stdout)
  content     = "x"
}
