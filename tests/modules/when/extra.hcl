file.content "extra" {
  destination = "extra.txt"
  content     = "extra\n"
}

file.content "copy" {
  destination = "copy of {{lookup `file.content.extra.destination`}}"
  content     = "{{lookup `file.content.extra.content`}}"
}
