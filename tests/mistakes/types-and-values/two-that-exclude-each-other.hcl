# expect: mutually-exclusive at 6:3 |uid| `user` and `uid` are mutually exclusive

file.owner "motd" {
  destination = "motd.txt"
  user        = "daemon"
  uid         = 1
}
