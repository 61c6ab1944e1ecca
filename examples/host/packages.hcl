# The packages of the service, from a repository of its own.

param "repository" {}

file.content "repository" {
  destination = "/etc/apt/sources.list.d/corner.list"
  content     = format("%s\n", param.repository)
  mode        = 0644
}

package.apt "httpd" {
  name    = "corner-httpd"
  update  = true
  depends = ["file.content.repository"]
}

package.apt "tools" {
  name    = "corner-tools"
  version = "1.0-1"
  update  = true
  depends = ["file.content.repository"]
}

package.apt "telnet" {
  name  = ["telnet", "rsh-client"]
  state = "absent"
}
