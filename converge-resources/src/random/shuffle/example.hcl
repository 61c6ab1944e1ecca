# Servers of names, asked in an order that differs from machine to machine.

param "destination" {
  default = "/etc/example-servers"
}

random.shuffle "servers" {
  from  = ["192.0.2.1", "192.0.2.2", "192.0.2.3"]
  count = 2
}

file.content "servers" {
  destination = param.destination
  mode        = "0644"
  content     = format("%s\n", join("\n", random.shuffle.servers.values))
}
