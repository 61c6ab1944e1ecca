# The database has a name that no server of names knows.

param "ip" {
  default = "192.0.2.10"
}

system.hosts "database" {
  name    = "db.example.org"
  ip      = param.ip
  aliases = ["db"]
}
