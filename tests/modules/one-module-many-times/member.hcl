param "name" {}

param "shell" {
  default = "bash"
}

param "keys" {
  type    = "list"
  default = []
}

file.directory "home" {
  destination = "home-{{param `name`}}"
}

file.content "profile" {
  destination = "{{lookup `file.directory.home.destination`}}/profile"
  content     = "shell={{param `shell`}} keys={{len (paramList `keys`)}}\n"
}
