# expect: ? at 9:3 |on_change_of| refresh

file.content "conf" {
  destination = "conf"
}

file.content "copy" {
  destination  = "copy"
  on_change_of = ["file.content.conf"]
}
