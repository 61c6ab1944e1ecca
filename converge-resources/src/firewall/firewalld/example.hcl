# Web servers are let in, and one port to the machines of a network alone.

param "zone" {
  default = "public"
}

firewall.firewalld "web" {
  zone    = param.zone
  service = "https"
}

firewall.firewalld "metrics" {
  zone      = param.zone
  rich_rule = "rule family=ipv4 source address=192.0.2.0/24 port port=9100 protocol=tcp accept"
}
