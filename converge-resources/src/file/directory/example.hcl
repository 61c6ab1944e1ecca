# A folder, and the ones above it that are missing.

param "folder" {
  default = "/tmp"
}

file.directory "pages" {
  destination = "{{param `folder`}}/converge-site/pages"
  create_all  = true
  mode        = 0755
}
