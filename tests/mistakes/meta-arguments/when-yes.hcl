# expect: template at 6:18 |yes| there is no function `yes`; write `true`

file.content "motd" {
  destination = "/tmp/motd"
  content     = "hello"
  when        = "yes"
}
