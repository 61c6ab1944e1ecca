# expect: duplicate-field at 7:3 |retry| `retry` is written twice

task "build" {
  check = "test -f /tmp/built"
  apply = "touch /tmp/built"
  retry { attempts = 2 }
  retry { attempts = 3 }
}
