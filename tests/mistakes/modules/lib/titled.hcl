param "title" {}

file.content "page" {
  destination = "page.txt"
  content     = "{{param `title`}}\n"
}
