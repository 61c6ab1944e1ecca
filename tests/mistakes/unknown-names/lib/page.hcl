param "title" {
  default = "Home"
}

file.content "page" {
  destination = "page.txt"
  content     = "{{param `title`}}\n"
}
