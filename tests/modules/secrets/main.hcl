# A sensitive parameter goes where it is needed, and into nothing that is printed.

param "password" {
  type        = "string"
  sensitive   = true
  description = "The password of the database."
}

param "url" {
  default = "postgres://app:{{param `password`}}@db/app"
}

file.content "pass" {
  destination = "pgpass"
  mode        = 0600
  content     = "db:5432:app:app:{{param `password`}}\n"
}

file.content "environment" {
  destination = "app.env"
  content     = format("URL=%s\nLENGTH=%d\n", param.url, length(param.password))
}

task "hash" {
  check = "test -f hash"
  apply = "printf %s \"$PASSWORD\" | cksum > hash"

  env {
    PASSWORD = "{{param `password`}}"
  }
}
