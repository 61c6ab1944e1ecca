# expect: no-refresh at 9:19 |"file.content.conf"| a `file.content` cannot be refreshed

file.content "conf" {
  destination = "conf"
}

file.content "copy" {
  destination  = "copy"
  on_change_of = ["file.content.conf"]
}
