# expect: unknown-resource at 8:27 |`file.content.mtd.destination`| `file.content.mtd.destination`, which does not exist

file.content "motd" {
  destination = "motd.txt"
}

file.mode "motd" {
  destination = "{{lookup `file.content.mtd.destination`}}"
  mode        = 0644
}
