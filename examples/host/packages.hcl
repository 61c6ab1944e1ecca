# The packages of the service, from a repository of its own, and none that nobody should use.

param "repository" {}

param "key" {}

param "fingerprint" {}

package.apt_repo "corner" {
  name            = "corner"
  uris            = [param.repository]
  suites          = ["./"]
  key             = param.key
  key_fingerprint = param.fingerprint
}

package.apt "httpd" {
  name    = "corner-httpd"
  update  = true
  depends = ["package.apt_repo.corner"]
}

package.apt "tools" {
  name    = "corner-tools"
  version = "1.0-1"
  update  = true
  depends = ["package.apt_repo.corner"]
}

package.apt "telnet" {
  name  = ["telnet", "rsh-client"]
  state = "absent"
}
