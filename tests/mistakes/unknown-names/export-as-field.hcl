# expect: unknown-field at 5:3 |content| unknown field `content`

file.query "motd" {
  path    = "/etc/motd"
  content = true
}
