# Says in a file whether somebody listens on a port.

param "port" {
  default = 22
}

param "folder" {
  default = "/tmp"
}

net.query "it" {
  port = "{{param `port`}}"
}

file.content "report" {
  destination = "{{param `folder`}}/converge-port.txt"
  content     = format("%s\n", net.query.it.listening ? join(" ", net.query.it.addresses) : "closed")
}
