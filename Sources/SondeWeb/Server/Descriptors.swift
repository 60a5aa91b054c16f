import Glibc

/// Raises the limit of open files for a server, if permitted (getrlimit(2)).
func allowDescriptors(_ count: Int) {
  var limit = rlimit()
  let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
  limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
  _ = unsafe setrlimit(resource, &limit)
}
