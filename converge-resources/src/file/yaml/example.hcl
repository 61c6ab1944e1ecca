# Two values of a program, in a file that others edit as well.

param "folder" {
  default = "/tmp"
}

file.content "settings" {
  destination     = "{{param `folder`}}/converge-settings.yaml"
  content         = "# of the program\nserver:\n  port: 80 # for all\n"
  only_if_missing = true
}

file.yaml "port" {
  destination = file.content.settings.destination
  key         = ["server", "port"]
  value       = 8080
}

file.yaml "tags" {
  destination = file.content.settings.destination
  key         = "tags"
  value       = ["web", "edge"]
}
