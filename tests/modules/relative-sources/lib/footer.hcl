param "path" {}

file.content "footer" {
  destination = "{{param `path`}}"
  content     = "the end\n"
}
