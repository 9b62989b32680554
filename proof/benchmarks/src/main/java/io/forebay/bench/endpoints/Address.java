/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.endpoints;

/** Where a customer lives. */
public record Address(long customer, String street, String zip, String city) {}
