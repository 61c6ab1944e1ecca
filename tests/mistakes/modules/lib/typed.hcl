param "port" {
  type = "number"
}

file.content "page" {
  destination = "page.txt"
  content     = "{{param `port`}}\n"
}
