# expect: unknown-field at 4:3 |path| file.content: unknown field `path`

file.content "motd" {
  path    = "/tmp/motd"
  content = "hello"
}
