# A password that is drawn once, in a file of the program that uses it.

param "destination" {
  default = "/etc/example.env"
}

random.password "database" {
  length = 24
}

file.content "environment" {
  destination = param.destination
  mode        = "0600"
  content     = format("DATABASE_PASSWORD=%s\n", quote(random.password.database.value))
}
