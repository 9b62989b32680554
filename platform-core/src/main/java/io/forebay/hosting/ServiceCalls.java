/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

/**
 * Marks a bean whose calls are appended to the in-queue of a service. It receives no answers of
 * other services, although it has the type of their receivers.
 */
public interface ServiceCalls {}
