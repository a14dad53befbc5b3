#include <uv.h>

#include <errno.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

// CMSG_FIRSTHDR and its kin are macros, which Swift does not import. Reads one ICMP error from the socket's error queue: the
// address that the datagram was sent to. 1: one was read; 0: the queue is empty.
static inline int shim_next_icmp_error(int fd, struct sockaddr_storage *to, int *error) {
  char control[512];
  char payload[1];
  struct iovec part = {payload, sizeof payload};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_name = to;
  message.msg_namelen = sizeof *to;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return 0;
  *error = 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if ((c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR) ||
        (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR)) {
      struct sock_extended_err e;
      memcpy(&e, CMSG_DATA(c), sizeof e);
      *error = (int)e.ee_errno;
    }
  }
  return 1;
}

// AF_UNSPEC and the flags go into one argument; the flags are an anonymous enum whose import type differs from the parameter's.
static inline int shim_udp_init(uv_loop_t *loop, uv_udp_t *handle) {
  return uv_udp_init_ex(loop, handle, AF_UNSPEC | UV_UDP_RECVMMSG);
}
