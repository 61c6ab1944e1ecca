# What is drawn once stays: the second apply finds the same password, minute and name.

random.password "database" {
  length  = 20
  special = false
}

random.integer "minute" {
  min = 0
  max = 59
}

random.id "instance" {
  keepers = { site = "north" }
}

file.content "settings" {
  destination = "settings"
  content     = <<END
PASSWORD={{lookup `random.password.database.value`}}
MINUTE={{lookup `random.integer.minute.value`}}
NAME=web-{{lookup `random.id.instance.hex`}}
END
}
