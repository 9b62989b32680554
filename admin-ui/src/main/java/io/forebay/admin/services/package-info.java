/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The API of services, of their partitions and of the door. */
@NullMarked
package io.forebay.admin.services;

import org.jspecify.annotations.NullMarked;
