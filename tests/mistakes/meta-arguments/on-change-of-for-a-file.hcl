# expect: no-refresh at 9:3 |on_change_of| a `file.content` cannot be refreshed

file.content "conf" {
  destination = "conf"
}

file.content "copy" {
  destination  = "copy"
  on_change_of = ["file.content.conf"]
}
