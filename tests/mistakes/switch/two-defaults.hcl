# expect: duplicate-case at 10:3 |default| this switch has two defaults

switch "language" {
  default {
    file.content "a" {
      destination = "a.txt"
    }
  }

  default {
    file.content "b" {
      destination = "b.txt"
    }
  }
}
