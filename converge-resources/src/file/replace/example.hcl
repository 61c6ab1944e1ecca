# An old name of a server is replaced wherever it is in a file, with the port that it has there.

param "folder" {
  default = "/tmp"
}

file.content "clients" {
  destination     = "{{param `folder`}}/converge-replace.conf"
  content         = "a = old.example:80\nb = old.example:443\n"
  only_if_missing = true
}

file.replace "server" {
  destination = file.content.clients.destination
  pattern     = "old\\.example:([0-9]+)"
  replacement = "new.example:\\1"
}
