# expect: unknown-export at 8:27 |`file.content.motd.path`| has no export `path`

file.content "motd" {
  destination = "motd.txt"
}

file.mode "motd" {
  destination = "{{lookup `file.content.motd.path`}}"
  mode        = 0644
}
