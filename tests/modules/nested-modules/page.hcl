# One page.

param "name" {}

param "text" {
  default = "nothing yet"
}

file.content "page" {
  destination = "{{param `name`}}.txt"
  content     = "[{{param `name`}}] {{param `text`}}\n"
}
