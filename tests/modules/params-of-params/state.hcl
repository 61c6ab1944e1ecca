param "path" {}

param "id" {}

param "where" {
  description = "The directory, so that it is there first."
}

param "text" {
  default = "{{param `id`}} in {{param `where`}}\n"
}

file.content "state" {
  destination = "{{param `path`}}"
  content     = "{{param `text`}}"
  depends     = ["param.where"]
}
