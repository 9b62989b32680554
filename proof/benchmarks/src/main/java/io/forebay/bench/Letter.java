/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.endpoints.Address;
import io.forebay.bench.endpoints.Customer;
import org.jspecify.annotations.Nullable;

/** A letter that states the premium of a contract to its owner. */
record Letter(long contract, String text) {

  /**
   * Writes a letter.
   *
   * @param customer null if unknown
   * @param address null if unknown
   * @throws IllegalStateException if the owner or the owner's address is unknown
   */
  static Letter of(Contract contract, @Nullable Customer customer, @Nullable Address address) {
    if (customer == null || address == null) {
      throw new IllegalStateException(
          "the %s of contract %d is unknown; no letter was written"
              .formatted(customer == null ? "owner" : "owner's address", contract.id()));
    }
    return new Letter(
        contract.id(),
        customer.firstName()
            + " "
            + customer.lastName()
            + "\n"
            + address.street()
            + "\n"
            + address.zip()
            + " "
            + address.city()
            + "\n\nThe premium of your contract "
            + contract.product()
            + " is "
            + contract.premium()
            + ".");
  }
}
