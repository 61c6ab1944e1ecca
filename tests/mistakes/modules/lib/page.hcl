param "name" {
  default = "start"
}

file.content "page" {
  destination = "{{param `name`}}.txt"
}
