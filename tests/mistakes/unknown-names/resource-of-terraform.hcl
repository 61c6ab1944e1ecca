# expect: unknown-type at 3:1 |random_password| unknown resource type `random_password`

random_password "database" {
  length = 24
}
