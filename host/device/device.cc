// host/device/device.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/device/device.h"

namespace opsrun::host {

Status Order(Device& device, Stream first, Stream then) {
  if (first == then) return OkStatus();
  const Result<Event> event = device.TakeEvent();
  if (!event.ok()) return event.status();
  Status status = device.Record(*event, first);
  if (status.ok()) status = device.Follow(then, *event);
  device.GiveEvent(*event);
  return status;
}

}  // namespace opsrun::host
