# expect: ? at 10:3 |default| default

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
