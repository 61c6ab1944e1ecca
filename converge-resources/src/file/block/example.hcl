# A few lines in a file that somebody else looks after, between two lines that mark them.

param "folder" {
  default = "/tmp"
}

param "server" {
  default = "192.0.2.1"
}

file.content "hosts" {
  destination     = "{{param `folder`}}/converge-block-hosts"
  content         = "127.0.0.1 localhost\n"
  only_if_missing = true
}

file.block "servers" {
  destination = file.content.hosts.destination
  content     = "{{param `server`}} db\n{{param `server`}} web\n"
  marker      = "# {mark} of the servers"
}
