/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Configures a {@link io.forebay.client.DoorClient} in a Spring Boot application. */
@NullMarked
package io.forebay.client.spring;

import org.jspecify.annotations.NullMarked;
