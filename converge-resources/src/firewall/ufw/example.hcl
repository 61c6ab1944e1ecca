# The firewall lets SSH and the web in, and is turned on after that.

param "web" {
  default = "80,443"
}

firewall.ufw "ssh" {
  action  = "limit"
  port    = 22
  proto   = "tcp"
  comment = "people"
}

firewall.ufw "web" {
  action = "allow"
  port   = param.web
  proto  = "tcp"
}

firewall.ufw "on" {
  default = { incoming = "deny", outgoing = "allow" }
  enabled = true
  depends = ["firewall.ufw.ssh", "firewall.ufw.web"]
}
