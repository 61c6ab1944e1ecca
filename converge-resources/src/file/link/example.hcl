# A folder for each version, and a link to the one that is in use.

param "folder" {
  default = "/tmp"
}

param "version" {
  default = "2"
}

file.directory "version" {
  destination = "{{param `folder`}}/converge-link-{{param `version`}}"
}

file.link "current" {
  destination = "{{param `folder`}}/converge-link-current"
  target      = "converge-link-{{param `version`}}"
}
