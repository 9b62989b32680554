/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.services;

import io.forebay.admin.Refused;
import io.forebay.operations.Door;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** What the HTTP door refuses, its callers with their limits, and the lanes of gateways. */
@RestController
@RequestMapping("/admin/api/v1/door")
final class DoorController {

  private final @Nullable Door door;

  /**
   * @param door null if this instance has none
   */
  DoorController(@Nullable Door door) {
    this.door = door;
  }

  @GetMapping
  Door.Document get() {
    if (door == null) {
      throw noDoor();
    }
    return door.document();
  }

  static Refused noDoor() {
    return Refused.notFound("This instance has no HTTP door.");
  }
}
